import type { Migrations } from '../../../kernel/db.ts'
import { up as wallets } from './0006-wallets.ts'
import { up as walletThaw } from './0012-wallet-thaw.ts'
import { up as walletBlockOrder } from './0013-wallet-block-order.ts'
import { up as walletWaiting } from './0040-wallet-waiting.ts'
import { up as sendPurposes } from './0044-send-purposes.ts'
import { up as walletLooks } from './0053-wallet-looks.ts'
import { up as voidBlocks } from './0059-void-blocks.ts'
import { up as sendFreezes } from './0061-send-freezes.ts'
import { up as walletSeeds } from './0062-wallet-seeds.ts'
import { up as restores } from './0063-restores.ts'

export const WALLET_MIGRATIONS: Migrations = {
  '0006-wallets': wallets,
  '0012-wallet-thaw': walletThaw,
  '0013-wallet-block-order': walletBlockOrder,
  '0040-wallet-waiting': walletWaiting,
  '0044-send-purposes': sendPurposes,
  '0053-wallet-looks': walletLooks,
  '0059-void-blocks': voidBlocks,
  '0061-send-freezes': sendFreezes,
  '0062-wallet-seeds': walletSeeds,
  '0063-restores': restores,
}
