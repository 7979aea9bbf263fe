/** The last line of a run that came to its end. */
export const END = 'end'

// A reporter that writes the names of files with a failed test, one a line.
export default async function* failedFiles(events) {
  for await (const { type, data } of events) if (type === 'test:fail' && data.file) yield `${data.file}\n`
  yield `${END}\n`
}
