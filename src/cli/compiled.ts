import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cachedDataVersionTag } from 'node:v8'
import { Script, constants } from 'node:vm'
import { crc32 } from 'node:zlib'
import { keepFile } from '../infra/private-files.ts'

type Loaded<T> = {
  exports: T
  /** Saves what V8 has compiled so far. */
  keep(): void
}

/**
 * Loads a bundle with the code that V8 compiled at an earlier start. Node's own cache has only code compiled while
 * modules load; this one also has every function that the start called.
 */
export function loadCompiled<T>(file: string, folder: string): Loaded<T> {
  const { size, mtimeMs } = statSync(file)
  // V8 itself compares its version and flags, but only the length of the source.
  const cache = join(folder, `gateway-${cachedDataVersionTag()}-${size}-${mtimeMs}`)
  const cachedData = readSound(cache)
  // The build writes nothing but ASCII, so latin1 reads it unchanged.
  const text = `(function (exports, require, module, __dist) {${readFileSync(file, 'latin1')}\n})`
  const script = new Script(text, {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData && { cachedData }),
  })
  const module = { exports: {} as T }
  const run = script.runInThisContext() as (...given: unknown[]) => void
  run(module.exports, createRequire(file), module, new URL('../', pathToFileURL(file)))
  const isKnown = cachedData !== undefined && script.cachedDataRejected === false
  return { exports: module.exports, keep: () => isKnown || write(cache, script.createCachedData()) }
}

const SUM_BYTES = 4

/** V8 does not verify the cache, so a damaged file must not reach it. */
function readSound(file: string): Buffer | undefined {
  try {
    const kept = readFileSync(file)
    const data = kept.subarray(SUM_BYTES)
    return kept.readUInt32LE() === crc32(data) ? data : undefined
  } catch {
    // There is no cache file yet, or it was not written completely.
    return undefined
  }
}

function write(file: string, data: Buffer): void {
  const sum = Buffer.alloc(SUM_BYTES)
  sum.writeUInt32LE(crc32(data))
  keepFile(file, Buffer.concat([sum, data]))
}
