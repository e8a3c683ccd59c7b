#!/bin/sh
# The whole loop on data made on the spot: no Kaggle account, no GPU, no Docker, no keys.
set -eu

MLEBENCH_DATA_DIR=$(mktemp -d)
export MLEBENCH_DATA_DIR
trap 'rm -rf "$MLEBENCH_DATA_DIR"' EXIT
data="$MLEBENCH_DATA_DIR/spaceship-titanic/prepared"

show() {
    printf '\n\033[1m$ mlebench %s\033[0m\n' "$*"
    mlebench --quiet "$@"
}

echo "1. What is there to compete in?"
show competitions --ready

echo
echo "2. Prepare one competition on tiny made-up data (real data come from Kaggle)."
show prepare -c spaceship-titanic --fixture
ls "$data/public"

echo
echo "3. An agent would now read description.md, train a model and write submission.csv."
echo "   Here a rule of one line stands in for it: whoever slept was carried off."
submission="$MLEBENCH_DATA_DIR/submission.csv"
awk -F, 'NR == 1 { print "PassengerId,Transported" } NR > 1 { print $1 "," ($3 == "True" ? "True" : "False") }' \
    "$data/public/test.csv" > "$submission"

echo
echo "4. Is the submission well formed? (This never computes a score.)"
show validate "$submission" spaceship-titanic

echo
echo "5. What is it worth on the real leaderboard?"
show grade-sample "$submission" spaceship-titanic

echo
echo "6. A broken submission gets a reason, not a traceback."
sed '2s/,.*/,perhaps/' "$submission" > "$MLEBENCH_DATA_DIR/broken.csv"
show validate "$MLEBENCH_DATA_DIR/broken.csv" spaceship-titanic || true

echo
echo "7. Every competition can prove itself on made-up data."
show selfcheck

echo
echo "That was the whole loop. Read on in README.md and docs/."
