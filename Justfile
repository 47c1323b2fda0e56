# `just` lists what can be done; each line is one command a person could type.
default:
    @just --list

# answer the sample with the default pipeline
run *ARGS:
    uv run python run.py {{ARGS}}

# all tests
test *ARGS:
    uv run pytest {{ARGS}}

# style and types
check:
    uv run ruff check .
    uv run ruff format --check .
    uv run mypy rag1 scripts run.py

# what CI does
ci:
    .ci/run

# look at the logged runs
ui:
    uv run mlflow ui --backend-store-uri sqlite:///outputs/mlflow.db
