import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { loadConfig } from '../config/config.ts'
import { openVault } from '../infra/secrets/vault.ts'
import { OPERATOR } from '../kernel/actor.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import { type WordsCtx, checkWords, countByMasterKey, replaceSeed, showWords } from '../modules/wallets/index.ts'
import { type Flags, print, withStore } from './store.ts'

/** Opens the vault, whose master keys decrypt the seed. */
export async function withVault(ctx: StoreCtx): Promise<WordsCtx> {
  const [used] = await countByMasterKey(ctx.db)
  return { ...ctx, vault: openVault(loadConfig(), { used: used?.id, random: ctx.random }) }
}

const PER_LINE = 6

/** Shows the 24 words of the wallet seed once, checks a copy of them, or makes a new seed. */
export function words({ json, check, new: isNew }: Flags & { check?: boolean; new?: boolean }): Promise<void> {
  return withStore(async (store) => {
    const ctx = await withVault(store)
    if (check) {
      await checkWords(ctx, await readSecretLine('The 24 words: '))
      return print(json, { right: true }, ['These are the words of the wallet seed.'])
    }
    if (isNew) await replaceSeed(ctx, OPERATOR)
    await showWords(ctx, OPERATOR, (shown) => {
      const numbered = shown.map((word, at) => `${String(at + 1).padStart(2)} ${word.padEnd(8)}`)
      const rows = Array.from({ length: shown.length / PER_LINE }, (_, row) =>
        numbered.slice(row * PER_LINE, (row + 1) * PER_LINE).join('  '),
      )
      print(json, { words: shown.join(' ') }, [
        ...rows,
        'Shown only once: write them on paper, then check them with `nano-gateway wallets words --check`.',
        'They open every wallet made from now on: keep them secret.',
      ])
    })
  })
}

/**
 * Reads a secret from standard input, without echo on a terminal. It is never an argument, because other users of the
 * machine could see it.
 */
export async function readSecretLine(question: string): Promise<string> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) return text(stdin)
  stderr.write(question)
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reading = createInterface({ input: stdin, output: hidden, terminal: true })
  try {
    return await new Promise<string>((resolve, reject) => {
      reading.once('line', resolve)
      reading.once('SIGINT', () => reject(new Error('Stopped.')))
    })
  } finally {
    reading.close()
    stderr.write('\n')
  }
}
