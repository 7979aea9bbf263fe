import { inspect } from 'node:util'

/** The last line of a run that came to its end. */
const END = 'end'

/** A test that failed only because one inside of it did has nothing to say of its own. */
const isFirstHand = ({ error }) => error?.failureType !== 'subtestsFailed'

// A reporter that writes every failed test as a line of JSON: its file, its title, and what it said.
export default async function* failedFiles(events) {
  for await (const { type, data } of events) {
    if (type !== 'test:fail' || !data.file) continue
    const { error } = data.details
    const words = isFirstHand(data.details) ? inspect(error?.cause ?? error, { breakLength: 120 }) : undefined
    yield `${JSON.stringify({ file: data.file, title: data.name, words })}\n`
  }
  yield `${END}\n`
}

/** Reads what the reporter has written. A process that died has not run all of its files, whatever it said of the others. */
export function readFailures(text) {
  const lines = text.split('\n').filter(Boolean)
  const ended = lines.at(-1) === END
  return { ended, failures: lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line)) }
}
