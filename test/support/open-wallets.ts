import { type Config } from '../../src/config/config.ts'
import { ServiceLinks } from '../../src/infra/links.ts'
import { qrPng } from '../../src/infra/qr/png.ts'
import { openVault } from '../../src/infra/secrets/vault.ts'
import { openVanity } from '../../src/infra/vanity/find.ts'
import type { BlockRefusal, ReportAlarm } from '../../src/kernel/wallet-alarm.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import type { Job } from '../../src/kernel/job.ts'
import { type AskAllNodes, type ConfirmationBus, type NodePort, type Notices } from '../../src/kernel/ports.ts'
import { type WorkPort } from '../../src/kernel/work-port.ts'
import { type WalletContext, countByMasterKey } from '../../src/modules/wallets/index.ts'
import { openWallets } from '../../src/modules/wallets/open.ts'
import { NO_WORK } from './blocks.ts'
import { NO_NAMES } from './checkout-context.ts'

export interface ProcessNeeds {
  store: StoreCtx
  node: NodePort
  askAllNodes?: AskAllNodes
  work: WorkPort
  notices: Notices
  confirmations: ConfirmationBus
  alarm: ReportAlarm
  onRefusal?: (refusal: BlockRefusal) => void
}

/** The wallets of one process. */
export interface ProcessWallets {
  context: WalletContext
  /** The jobs that settle and scan. */
  jobs: readonly Job[]
  start(): Promise<void>
  close(): Promise<void>
}

/** Opens the wallets module as the gateway does, without the gateway, work and names. */
export async function openProcessContext(config: Config, needs: ProcessNeeds): Promise<ProcessWallets> {
  const [used] = await countByMasterKey(needs.store.db)
  const module = await openWallets(
    {
      onRefusal: () => undefined,
      askAllNodes: () => Promise.resolve({ nodes: 0, frontier: undefined, known: new Set() }),
      ...needs,
      thresholds: NO_WORK,
      names: NO_NAMES,
      countMax: config.countMax,
      vault: openVault(config, { used: used?.id, random: needs.store.random }),
      vanity: openVanity(needs.store),
      qrPng,
      links: new ServiceLinks(config, { isPlay: false }),
      fund: undefined,
      representative: undefined,
    },
    config,
  )
  const start = async () => {
    await module.start!()
  }
  const close = async () => {
    await module.close!()
  }
  return { context: module.wallets, jobs: module.jobs as readonly Job[], start, close }
}
