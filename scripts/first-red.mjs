// A reporter that ends the run at the first failure, by the process's own way out, so that servers of the tests go with it.
import { writeSync } from 'node:fs'
import { Transform } from 'node:stream'

export default new Transform({
  writableObjectMode: true,
  transform({ type, data }, _encoding, next) {
    if (type === 'test:fail' && !data.todo) {
      writeSync(1, `RED ${data.file}\n`)
      process.exit(1)
    }
    next()
  },
})
