import { randomInt } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

const LOOPBACK = '127.0.0.1'
/** Below those that the system gives to whoever asks for any port: what is free here stays free until it is used. */
const LOWEST = 12_000
const HIGHEST = 32_000
const TRIES_MAX = 100
/** A file for each port that was given to a process. Tests of several processes run at once, and a server listens a while after it got its port. */
const GIVEN = join(tmpdir(), `nano-gateway-ports-${userInfo().uid}`)

const given = new Set<number>()
process.once('exit', () => given.forEach((port) => rmSync(fileOf(port), { force: true })))

/** A port that nobody listens on, and that nobody gets who did not ask for this very one. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const port = randomInt(LOWEST, HIGHEST)
    if (given.has(port) || !take(port)) continue
    given.add(port)
    if (await isFree(port)) return port
  }
  throw new Error('No port is free.')
}

const fileOf = (port: number) => join(GIVEN, String(port))

function take(port: number): boolean {
  // Whoever clears the folder for temporary files clears this one, too.
  mkdirSync(GIVEN, { recursive: true })
  try {
    writeFileSync(fileOf(port), String(process.pid), { flag: 'wx' })
    return true
  } catch {
    forgetIfGone(port)
    return false
  }
}

/** A process that was killed could not give its ports back. */
function forgetIfGone(port: number): void {
  try {
    process.kill(Number(readFileSync(fileOf(port), 'utf8')), 0)
  } catch {
    rmSync(fileOf(port), { force: true })
  }
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false))
    probe.listen(port, LOOPBACK, () => probe.close(() => resolve(true)))
  })
}
