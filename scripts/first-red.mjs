// A reporter that ends the run at the first failure, by the process's own way out, so that servers of the tests go with it.
import { writeSync } from 'node:fs'

export default async function* firstRed(events) {
  for await (const { type, data } of events) {
    // A suite fails because a test in it did, which was told before.
    if (type !== 'test:fail' || data.todo) continue
    writeSync(1, `RED ${data.file}\n`)
    process.exit(1)
  }
}
