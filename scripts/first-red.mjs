// A test reporter that ends the run at the first failure with `process.exit`, so that the tests' servers are stopped too.
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
