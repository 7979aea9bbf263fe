import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { JsonObject } from '../../src/kernel/shape.ts'
import { ACTIONS } from '../../src/offered.ts'
import { snippetsFor } from '../../src/web/reference-snippets.ts'
import { Signer } from '../support/blocks.ts'
import { openFolder } from '../support/folder.ts'
import { openGateway } from '../support/gateway.ts'
import { isThorough } from '../support/thorough.ts'

/* The reference's example calls in other languages, run if the language is installed. */

const run = promisify(execFile)
const account = new Signer(5).address

/** The actions that most programs call. Each needs nothing to exist before. */
const CALLS: Readonly<Record<string, JsonObject>> = {
  account_balance: { account },
  accounts_balances: { accounts: [account] },
  account_info: { account },
  account_history: { account, count: 10 },
  receivable: { account, count: 10, threshold: '1' },
  block_count: {},
  nano_to_raw: { amount: '1.5' },
  price: { currency: 'USD' },
  work_validate: { hash: 'A'.repeat(64), work: '0'.repeat(16) },
  checkout: { address: account, amount: '1', title: `It's a "lamp"#, \\ and \u00e4\nmore` },
}

/** Text that each answer must contain. */
const EXPECTED: Readonly<Record<string, string>> = {
  account_balance: 'balance',
  accounts_balances: 'balances',
  account_info: 'Account not found',
  account_history: 'history',
  receivable: 'blocks',
  block_count: 'cemented',
  nano_to_raw: 'raw',
  price: 'price',
  work_validate: 'valid_all',
  checkout: 'browser',
}

interface Language {
  file: string
  /** Programs with their arguments, run one after the other. */
  run: readonly (readonly string[])[]
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  python: { file: 'call.py', run: [['python3', 'call.py']] },
  php: { file: 'call.php', run: [['php', 'call.php']] },
  go: { file: 'call.go', run: [['go', 'run', 'call.go']] },
  java: { file: 'Call.java', run: [['java', 'Call.java']] },
  rust: { file: 'call.rs', run: [['rustc', '-o', 'call', 'call.rs'], ['./call']] },
}

const isMissing = (error: unknown) => (error as { code?: unknown }).code === 'ENOENT'

for (const [language, { file, run: steps }] of Object.entries(LANGUAGES)) {
  test(`the ten commonest calls of the reference answer in ${language}`, async (t) => {
    const { url, app } = await openGateway(t)
    const folder = openFolder(t)
    const env = { ...process.env, NANO_GATEWAY_KEY: app.createdKey!, GOCACHE: join(folder, 'cache') }
    // Compilers are slow, and examples of one language differ only in their text, so one call is enough.
    const isCompiled = !['python', 'php'].includes(language)
    const calls = Object.entries(CALLS).filter(([name]) => isThorough || !isCompiled || name === 'checkout')
    for (const [name, fields] of calls) {
      const { auth } = ACTIONS.find((action) => action.name === name)!
      const snippets = snippetsFor(url, { action: name, ...fields }, auth !== 'none')
      writeFileSync(join(folder, file), snippets.find((each) => each.language === language)!.code)
      let printed = ''
      try {
        for (const [program, ...args] of steps) printed = (await run(program!, args, { cwd: folder, env })).stdout
      } catch (error) {
        if (isMissing(error)) return t.skip(`${language} is not installed here`)
        throw error
      }
      assert.match(printed, new RegExp(`\\b${EXPECTED[name]}\\b`), name)
    }
  })
}
