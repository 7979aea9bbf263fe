import { readFileSync } from 'node:fs'
import { BadSetting } from '../kernel/setting.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Behind the name of a secret: the file that holds it. */
export const FILE_SUFFIX = '_FILE'

const isGiven = (value: string | undefined) => value !== undefined && value !== ''

/** The text of a secret, from the environment or from the file named there. Errors name neither the file's content nor its name. */
export function readSecret(env: Env, name: string): string | undefined {
  const file = env[name + FILE_SUFFIX]
  if (!isGiven(file)) return env[name]
  if (isGiven(env[name])) throw new BadSetting(`and ${name}${FILE_SUFFIX} are both set: one of them must go`)
  try {
    return readFileSync(file!, 'utf8').replace(/[\r\n]+$/, '')
  } catch (error) {
    // A secret that was put where its file's name belongs would stand in the message.
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new BadSetting(`cannot be read from the file in ${name}${FILE_SUFFIX} (${code})`, { cause: code })
  }
}
