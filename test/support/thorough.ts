import { SEED } from './random.ts'

/** `npm test -- --thorough`: random tests run for minutes, and for hours every night. Without it the same tests are short. */
export const isThorough = process.env.THOROUGH === 'true'

/** In tests that let the n-th call fail: every n, or every third, with an offset from the seed. */
export const PLACES = isThorough ? { first: 1, stride: 1 } : { first: 1 + (SEED % 3), stride: 3 }
