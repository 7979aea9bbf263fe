// What is to be made of a run in which something failed.

/** A file whose path has one of these words is about money, wherever it lies: what failed there once has failed. */
const MONEY = new Set(
  [
    'wallet wallets checkout checkouts stores x402 email sim chaos',
    'billing buy conservation credits faucet held money names once pay payment payments plans publish sales shares swap',
    'transfers usernames',
  ].flatMap((words) => words.split(' ')),
)

/** Pages show what the others decide, in a browser that has its own mind about time. */
export const isAboutMoney = (file) =>
  !file.startsWith('test/pages/') && file.split(/[/.-]/).some((word) => MONEY.has(word))

const isOfTests = (file) => /\.test\.\w+$/.test(file)

/**
 * Whether the one file that failed may show, alone, that it can pass. On a machine that others use as well one slow moment may
 * spoil a test; two have a cause, and so has one that is about money, and one that took its whole suite with it. A test that
 * was written elsewhere than in a file of tests would not run again at all.
 */
export function mayRepeat(files, broken) {
  return !broken && files.length === 1 && isOfTests(files[0]) && !isAboutMoney(files[0])
}

/** The first failed test that has words of its own, as it is told at the end of a run. */
export function tellFirstFailure(failures, seed) {
  const first = failures.find(({ words }) => words !== undefined) ?? failures[0]
  if (!first) return `SEED=${seed}`
  return `${first.title}\n${first.words ?? ''}\nSEED=${seed} repeats it`
}
