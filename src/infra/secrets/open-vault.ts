import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { KeyVault } from '../../kernel/key-vault.ts'
import type { Random } from '../../kernel/ports.ts'
import { type MasterKeys, createKeyFile, readKeyFile, stampKeyFile, toMasterKeys } from './master-keys.ts'
import { EnvelopeVault } from './vault.ts'

type VaultSettings = Pick<Config, 'walletKeys' | 'walletKeyActive' | 'dataDir'>

/** Where the master keys lie when no setting has them. */
export const keyFileOf = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'wallet-keys')

/** Reads the master keys; on a first start without any, makes one in the data folder. `used` is a key that wallets depend on. */
export function openVault(
  settings: VaultSettings,
  { used, random }: { used: string | undefined; random: Random },
): KeyVault {
  const { walletKeys, walletKeyActive } = settings
  if (walletKeys.length > 0) {
    return new EnvelopeVault({ load: () => toMasterKeys(walletKeys, walletKeyActive), random })
  }
  const file = keyFileOf(settings)
  let depends = used === undefined ? undefined : `wallets depend on the key ${used} in it`
  const load = (): MasterKeys => {
    const keys = readKeyFile(file)
    // A new key would open nothing and hide that the old one is gone.
    if (!keys && depends !== undefined) throw new Error(`${file} is missing, and ${depends}. Restore it.`)
    const found = keys ?? createKeyFile(file, random)
    depends ??= 'this gateway has sealed wallets with it'
    return found
  }
  return new EnvelopeVault({ load, stamp: () => stampKeyFile(file), random })
}
