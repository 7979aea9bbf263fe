import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../config/config.ts'

/** The ledger inside the gateway of DATA_DIR, else one on the usual port. */
export function findLedger(): string {
  const file = join(loadConfig().dataDir, 'devnet.json')
  if (!existsSync(file)) return 'http://127.0.0.1:7076'
  return (JSON.parse(readFileSync(file, 'utf8')) as { rpc: string }).rpc
}
