import { openLedger } from './engine.ts'
import type { LedgerOptions } from './options.ts'

/* A ledger in a process of its own: its first message has the options, and it ends with the process that started it. */

const end = (code: number) => process.exit(code)

process.once('message', (options: LedgerOptions) => {
  openLedger(options).then(
    ({ close, ...running }) => {
      process.once('disconnect', () => {
        close().then(
          () => end(0),
          () => end(1),
        )
      })
      process.send!({ running })
    },
    (error: unknown) => process.send!({ failed: error instanceof Error ? error.message : String(error) }, () => end(1)),
  )
})
