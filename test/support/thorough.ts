import { SEED } from './random.ts'

/** `npm test -- --thorough`: what only time can find gets some minutes, and hours every night. Without it the same tests are short, for those who wait. */
export const isThorough = process.env.THOROUGH === 'true'

/** Where a suite lets the n-th call fail: at every n, or at every third one, beginning where the seed says. */
export const PLACES = isThorough ? { first: 1, stride: 1 } : { first: 1 + (SEED % 3), stride: 3 }
