import { timingSafeEqual } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApiKey, hashApiKey } from '../../kernel/api-key.ts'
import type { KeyOwner, KeyRing, Random } from '../../kernel/ports.ts'

const ADMINISTRATOR: KeyOwner = { accountId: 'admin', keyId: 'admin', kind: 'secret', role: 'admin', origins: [] }

/**
 * The administrator key of an embedded gateway: made on the first start, shown once, kept as a hash. A key ring of
 * one, until accounts bring theirs.
 */
export function openAdminKey(dataDir: string, random: Random): { keys: KeyRing; created: string | undefined } {
  const file = join(dataDir, 'admin-key.sha256')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  let created: string | undefined
  if (!existsSync(file)) {
    created = createApiKey('secret', random)
    writeFileSync(file, `${hashApiKey(created)}\n`, { mode: 0o600, flush: true })
  }
  const stored = Buffer.from(readFileSync(file, 'utf8').trim())
  return {
    created,
    keys: {
      find(key) {
        const given = Buffer.from(hashApiKey(key))
        return given.length === stored.length && timingSafeEqual(given, stored) ? ADMINISTRATOR : undefined
      },
    },
  }
}
