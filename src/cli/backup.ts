import { existsSync } from 'node:fs'
import { systemClock } from '../infra/clock.ts'
import { backUpInto } from '../infra/db/rolling-backup.ts'
import { type Flags, print, withStore } from './store.ts'

interface BackupFlags extends Flags {
  every?: string
  keep: string
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

function toMilliseconds(text: string): number {
  const [, count, unit] = /^([1-9][0-9]{0,3})([mhd])$/.exec(text) ?? []
  if (count === undefined) throw new Error('--every is a time such as 15m, 1h or 1d.')
  return Number(count) * UNITS[unit!]!
}

/** Writes one copy to a file, or with `--every` a copy at each interval into a folder until the command is stopped. */
export function backUp(target: string, flags: BackupFlags): Promise<void> {
  const { json, every } = flags
  if (every !== undefined) return backUpForEver(target, every, flags)
  return withStore(async (_ctx, store) => {
    if (existsSync(target)) throw new Error(`${target} exists already.`)
    await store.backup(target)
    print(json, { backup: target }, [`Wrote ${target}.`])
  })
}

async function backUpForEver(folder: string, every: string, { json, keep }: BackupFlags): Promise<void> {
  const pause = toMilliseconds(every)
  if (!/^[1-9][0-9]{0,4}$/.test(keep)) throw new Error('--keep is a number from 1 to 99999.')
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  while (!stop.signal.aborted) {
    const { file, deleted } = await withStore((_ctx, store) =>
      backUpInto(store, { folder, keep: Number(keep), now: systemClock.now() }),
    )
    print(json, { backup: file, deleted }, [
      `Wrote ${file}${deleted.length > 0 ? `, deleted ${deleted.join(', ')}` : ''}.`,
    ])
    await pauseFor(pause, stop.signal)
  }
}

const pauseFor = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) return resolve()
    const cancel = systemClock.after(milliseconds, resolve)
    signal.addEventListener('abort', () => {
      cancel()
      resolve()
    })
  })
