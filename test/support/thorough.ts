/** `npm test -- --thorough`: what only time can find gets its time. Without it the same tests are short, for those who wait. */
export const isThorough = process.env.THOROUGH === 'true'
