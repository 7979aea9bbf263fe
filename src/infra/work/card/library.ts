import { createRequire } from 'node:module'
import type { LibraryHandle } from 'koffi'

type Koffi = typeof import('koffi')

/** A function of a driver, called directly or in another thread. */
export type Call = ((...parameters: unknown[]) => unknown) & { async(...parameters: unknown[]): void }

/** A reference to an object of the driver. */
export type Handle = unknown

export interface Library<Name extends string> {
  koffi: Koffi
  call: Record<Name, Call>
}

/**
 * Loads the system's driver under one of these names, with these functions. Call it only in a separate process, because
 * a crash in a driver ends the process. Koffi is an optional package, because drivers are optional.
 */
export function openLibrary<Name extends string>(
  names: readonly string[],
  functions: Readonly<Record<Name, string>>,
): Library<Name> | undefined {
  const koffi = createRequire(import.meta.url)('koffi') as Koffi
  const library = load(koffi, names)
  if (!library) return undefined
  const call = {} as Record<Name, Call>
  for (const name of Object.keys(functions) as Name[]) call[name] = library.func(functions[name])
  return { koffi, call }
}

function load(koffi: Koffi, names: readonly string[]): LibraryHandle | undefined {
  for (const name of names) {
    const library = loadOne(koffi, name)
    if (library) return library
  }
  return undefined
}

function loadOne(koffi: Koffi, name: string): LibraryHandle | undefined {
  try {
    return koffi.load(name)
  } catch {
    // There is no library of this name.
    return undefined
  }
}

/** In both interfaces zero means success. */
export function check(code: unknown): void {
  if (code !== 0) throw new Error(`The driver answered ${String(code)}.`)
}

/** Runs a long call in another thread. */
export function waited(call: Call, ...parameters: unknown[]): Promise<void> {
  return new Promise((resolve, reject) => {
    call.async(...parameters, (error: Error | null, code: unknown) => {
      if (error) reject(error)
      else if (code !== 0) reject(new Error(`The driver answered ${String(code)}.`))
      else resolve()
    })
  })
}

/** A parameter of 64 bits. */
export function long(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}

/** A parameter of 32 bits. */
export function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** The driver ends the text with a zero. */
export const textIn = (bytes: Buffer): string => bytes.toString('utf8', 0, bytes.indexOf(0)).trim()
