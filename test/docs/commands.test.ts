import assert from 'node:assert/strict'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { openGateway } from '../support/gateway.ts'
import { blocksOf, commandsOf, pages, root } from './documents.ts'
import { EFFECTS } from './effects.ts'
import { EXCEPTIONS, exceptionFor } from './exceptions.ts'
import { runScript, tools } from './shell.ts'
import { openFolder } from '../support/folder.ts'
import { until } from '../support/until.ts'

/*
 * Runs the commands of the documents unchanged, each page in one shell. The fence decides: `sh` is run and must succeed; `sh refused` must be refused by
 * the gateway; `sh serves` starts servers (servers.test.ts); `sh operator` needs a prepared store (operators.test.ts); `console` is not run, for the
 * reasons in exceptions.ts.
 */

/** Fences of blocks that are shown, not typed into a terminal. */
const SHOWN = new Set(['', 'json', 'ts', 'js', 'python', 'php', 'ruby', 'go', 'sql', 'html'])

const closing: (() => unknown)[] = []
const ending = { after: (close: unknown) => void closing.unshift(close as () => unknown) } as TestContext

/** One gateway for all pages. */
async function openShared() {
  return {
    gateway: await openGateway(ending, { DEVNET_TREASURY_NANO: '1000000', X402_ACTIONS: 'work_generate' }),
    receiver: await freePort(),
  }
}

let opened: ReturnType<typeof openShared> | undefined
/** Opened by the first page that needs it, closed after the last. */
const shared = () => (opened ??= openShared())

for (const page of pages) {
  const toRun = blocksOf(page).filter(({ fence }) => fence === 'sh' || fence === 'sh refused')
  if (toRun.length === 0) continue
  test(`the commands of ${page} work when they are pasted one after the other`, async (t) => {
    const { gateway, receiver } = await shared()
    const key = gateway.app.createdKey!
    const here = (text: string) =>
      text
        .replaceAll('http://127.0.0.1:8080', gateway.url)
        .replaceAll(/\b9000\b/g, String(receiver))
        .replaceAll('rpc_sk_…', key)
    const mark = '-----8<-----'
    const script = toRun.map(({ code }) => `echo '${mark}'\n${here(code)}\necho\n`).join('')
    const own = { DATA_DIR: gateway.folder, NANO_GATEWAY_KEY: key, NANO_GATEWAY_URL: gateway.url }
    const folder = openFolder(t)
    symlinkSync(join(root, 'examples'), join(folder, 'examples'))
    const { output, errors, code } = await runScript(t, script, folder, { ...tools, ...own })
    const outputs = output.split(`${mark}\n`).slice(1)
    for (const [at, { fence, line }] of toRun.entries()) {
      const text = outputs[at]
      assert.ok(text !== undefined, `${page}:${line} was not reached.\n${output}\n${errors}`)
      const refused = /"error":|forged:/.test(text)
      assert.equal(refused, fence === 'sh refused', `${page}:${line} answered\n${text}`)
    }
    assert.equal(code, 0, `${page} ended with ${code}\n${output}\n${errors}`)
    // A command may succeed without doing anything, so the effect of at least the last command of each page is checked.
    const last = toRun.at(-1)!.code
    const effects = EFFECTS[page] ?? assert.fail(`${page} has no effect in effects.ts`)
    assert.ok(
      effects.some(([begin]) => last.startsWith(begin)),
      `${page}: nothing is known of its last block`,
    )
    for (const [begin, shows, soon] of effects) {
      const said = toRun.flatMap((block, at) => (block.code.startsWith(begin) ? [outputs[at]!] : []))
      assert.ok(said.length > 0, `${page} has no block that begins with ${begin}`)
      const isShown = () => said.some((text) => shows.test(text))
      const lookAgain = async () => said.push((await runScript(t, here(begin), folder, { ...tools, ...own })).output)
      if (soon) await until(async () => isShown() || (await lookAgain(), false))
      assert.ok(isShown(), `${page}: ${begin} does not show ${shows}:\n${said.join('\n')}`)
    }
  })
}

test('every code block says how it is run, or the reason why it is not', async (t) => {
  for (const close of closing) await close()
  const wrong: string[] = []
  const excepted = new Set<RegExp>()
  for (const { page, fence, code, line } of pages.flatMap(blocksOf)) {
    if (fence === 'console' || fence === 'sh serves') {
      for (const command of commandsOf(code)) {
        const exception = exceptionFor(command)
        if (exception) {
          excepted.add(exception.command)
          t.diagnostic(`not run: ${page}:${line}: ${command}: ${exception.reason}`)
        } else if (fence === 'console') wrong.push(`${page}:${line} is not run, without a reason: ${command}`)
      }
    } else if (!SHOWN.has(fence) && !/^sh( refused| operator)?$/.test(fence))
      wrong.push(`${page}:${line} says ${fence}`)
    // A block that is only shown must not contain commands.
    else if (SHOWN.has(fence) && /^(curl|npx|npm|export NANO) /m.test(code)) wrong.push(`${page}:${line} is a command`)
  }
  for (const { command } of EXCEPTIONS) if (!excepted.has(command)) wrong.push(`${command} excepts nothing`)
  assert.deepEqual(wrong, [])
})
