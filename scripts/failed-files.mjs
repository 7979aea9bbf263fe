import { inspect } from 'node:util'

/** The last line of a run that finished. */
const END = 'end'

/** False if a test failed only because a subtest failed. */
const isFirstHand = ({ error }) => error?.failureType !== 'subtestsFailed'

// A test reporter that writes every failed test as a line of JSON: its file, title and error.
export default async function* failedFiles(events) {
  for await (const { type, data } of events) {
    if (type !== 'test:fail' || !data.file) continue
    const { error } = data.details
    const words = isFirstHand(data.details) ? inspect(error?.cause ?? error, { breakLength: 120 }) : undefined
    yield `${JSON.stringify({ file: data.file, title: data.name, words })}\n`
  }
  yield `${END}\n`
}

/** Reads the reporter's lines. If the process died, the result says that not all files ran. */
export function readFailures(text) {
  const lines = text.split('\n').filter(Boolean)
  const ended = lines.at(-1) === END
  return { ended, failures: lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line)) }
}
