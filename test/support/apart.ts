import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { isThorough } from './thorough.ts'

/*
 * Packages that are not development dependencies are installed into a separate folder, which is never published. The thorough run installs them with a
 * lock file that pins their contents; other runs use them if they are already installed.
 */

const FILES = ['package.json', 'package-lock.json']
const CACHES = resolve(import.meta.dirname, '../../node_modules/.cache')

type Place = { folder: string } | { missing: string }

interface ApartOptions {
  /** Optional packages are skipped, unless some are binaries that others need. */
  optional?: boolean
  /** Installs it in every run. */
  always?: boolean
}

/** Finds or installs the packages of a lock file, once for a run. */
export function openApart(lock: string, cacheName: string, options: ApartOptions = {}): () => Promise<Place> {
  let found: Promise<Place> | undefined
  return () => (found ??= find(lock, join(CACHES, cacheName), options))
}

async function find(lock: string, cache: string, options: ApartOptions): Promise<Place> {
  const hash = createHash('sha256')
  for (const file of FILES) hash.update(readFileSync(join(lock, file)))
  const folder = join(cache, hash.digest('hex').slice(0, 16))
  if (existsSync(folder)) return { folder }
  if (!isThorough && !options.always) return { missing: 'not installed here; npm test -- --thorough installs it' }
  return install(lock, cache, folder, options)
}

/** npm's errors for an unreachable registry, as opposed to one that delivers different contents. */
const OUT_OF_REACH = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENETUNREACH|E5\d\d)\b/

async function install(lock: string, cache: string, folder: string, { optional }: ApartOptions): Promise<Place> {
  mkdirSync(cache, { recursive: true })
  const draft = mkdtempSync(join(cache, 'draft-'))
  for (const file of FILES) copyFileSync(join(lock, file), join(draft, file))
  const omitted = optional ? [] : ['--omit=optional']
  const options = ['--ignore-scripts', ...omitted, '--no-audit', '--no-fund', '--fetch-retries=1']
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
