/**
 * Cites rows of the contract next to the assertion that proves them: `row('2, Price: symbol, currency', () => assert…)`. `scripts/spec-coverage.mjs` reads
 * the citations. A test that proves a single row may cite it in its title instead.
 */
export const row = <T>(_name: `${number}, ${string}`, prove: () => T): T => prove()
