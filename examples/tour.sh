#!/bin/sh
# The whole loop on data made on the spot: no Kaggle account, no GPU, no Docker, no keys.
# It happens in a folder of its own, which is removed at the end, so it can be run any time.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export MLEBENCH_DATA_DIR="$folder"

bold='' dim='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    bold=$(printf '\033[1m') dim=$(printf '\033[2m') plain=$(printf '\033[0m')
fi

step() {
    printf '\n%s%s%s\n' "$bold" "$1" "$plain"
}

run() {
    printf '%s$ %s%s\n' "$dim" "$*" "$plain"
    "$@"
}

step "1. What is there to compete in?"
run mlebench competitions --ready

step "2. Prepare one of them, on tiny made-up data (real data come from Kaggle)."
run mlebench --quiet prepare spaceship-titanic --fixture

step "3. This is what an agent gets: a description, training data, test inputs."
public=spaceship-titanic/prepared/public
run ls $public
printf '%s$ %s%s\n' "$dim" "head -n 8 $public/description.md | fmt -w 78" "$plain"
head -n 8 $public/description.md | fmt -w 78

step "4. An agent would now train a model. Here a rule of one line stands in for it:
   whoever slept was carried off."
awk -F, 'NR == 1 { print "PassengerId,Transported" }
         NR > 1  { print $1 "," ($3 == "True" ? "True" : "False") }' \
    $public/test.csv > submission.csv
run head -n 4 submission.csv

step "5. Is the submission well formed? (This never computes a score.)"
run mlebench validate submission.csv spaceship-titanic

step "6. What is it worth on the real leaderboard?"
run mlebench grade-sample submission.csv spaceship-titanic

step "7. Many submissions are graded at once; a bad one costs its own line only."
cp $public/sample_submission.csv sample.csv
head -n 5 submission.csv > cut.csv
cat > submissions.jsonl << 'END'
{"competition_id": "spaceship-titanic", "submission_path": "submission.csv"}
{"competition_id": "spaceship-titanic", "submission_path": "sample.csv"}
{"competition_id": "spaceship-titanic", "submission_path": "cut.csv"}
END
run cat submissions.jsonl
run mlebench --quiet grade --submission submissions.jsonl --output-dir reports

step "8. What does a refusal mean?"
run mlebench explain row_count

step "9. Reports are kept, and can be read again."
run mlebench report-table reports/*.json

step "That was the whole loop. README.md goes through it step by step."
