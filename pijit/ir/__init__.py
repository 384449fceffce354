"""The graph: types, operations, blocks, exits; its text form, its checker and its reference evaluator."""
