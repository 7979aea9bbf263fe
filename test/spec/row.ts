/**
 * Names rows of the contract by their own keys beside the assertion that holds them, as `row('2, Price: symbol, currency', () => assert…)`.
 * `scripts/spec-coverage.mjs` reads the names; a test that proves a single thing may cite it in its title instead.
 */
export const row = <T>(_name: `${number}, ${string}`, prove: () => T): T => prove()
