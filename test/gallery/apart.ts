import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isThorough } from '../support/thorough.ts'
import { root } from './clients.ts'
import { isWriting } from './table.ts'

/*
 * Clients that are no development dependencies lie in a folder of their own, which is never shipped. The thorough run installs
 * them, held to their contents by a lock file; where they are already, every run walks with them.
 */

const LOCK = join(import.meta.dirname, 'apart')
const FILES = ['package.json', 'package-lock.json']
const CACHE = join(root, 'node_modules/.cache/nano-gateway-clients')

type Place = { folder: string } | { missing: string }

let found: Promise<Place> | undefined

export const findApart = (): Promise<Place> => (found ??= find())

async function find(): Promise<Place> {
  const hash = createHash('sha256')
  for (const file of FILES) hash.update(readFileSync(join(LOCK, file)))
  const folder = join(CACHE, hash.digest('hex').slice(0, 16))
  if (existsSync(folder)) return { folder }
  if (!isThorough && !isWriting) return { missing: 'not installed here; npm test -- --thorough installs it' }
  return install(folder)
}

/** What npm says when there is no way to the registry, in contrast to a registry that hands out something else. */
const OUT_OF_REACH = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENETUNREACH|E5\d\d)\b/

async function install(folder: string): Promise<Place> {
  mkdirSync(CACHE, { recursive: true })
  const draft = mkdtempSync(join(CACHE, 'draft-'))
  for (const file of FILES) copyFileSync(join(LOCK, file), join(draft, file))
  const options = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--fetch-retries=1']
  try {
    await promisify(execFile)('npm', ['ci', ...options], { cwd: draft })
  } catch (error) {
    rmSync(draft, { recursive: true })
    const said = String((error as { stderr?: string }).stderr)
    if (!OUT_OF_REACH.test(said)) throw error
    return { missing: `the registry is out of reach: ${OUT_OF_REACH.exec(said)![0]}` }
  }
  try {
    renameSync(draft, folder)
  } catch (error) {
    // Another run was faster.
    rmSync(draft, { recursive: true })
    if (!existsSync(folder)) throw error
  }
  return { folder }
}
