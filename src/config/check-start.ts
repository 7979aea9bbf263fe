import { ACTIONS } from '../offered.ts'
import { type Config, type ReadConfig, readConfig, describeNearName } from './config.ts'
import { findFaults } from './check-values.ts'
import { toTrustedProxies } from '../http/client-ip.ts'
import { openMarketSources } from '../infra/market/open.ts'
import { toAgreement } from '../infra/node/agreement.ts'
import { EMBEDDED, isEmbedded, toUpstreams } from '../infra/node/upstreams.ts'
import { toMasterKeys } from '../infra/secrets/master-keys.ts'
import { keysOf } from '../store/secrets.ts'
import type { Clock, Prices } from '../kernel/ports.ts'
import { requireMetricsToken } from '../http/metrics-listener.ts'
import { toUrl } from '../infra/links.ts'
import { relyingPartyOf } from '../modules/accounts/index.ts'
import { loadBuiltIn } from '../modules/names/index.ts'
import { type Goods, readGoods } from '../modules/x402/index.ts'

interface StartCheck {
  /** Undefined if anything is wrong. */
  config: Config | undefined
  isLocal: boolean
  /** Every reason why the gateway would not start. */
  problems: string[]
  /** Warnings: they do not stop the start. */
  warnings: string[]
}

/** Checks every setting as a start would, and reports all errors at once. Opens and changes nothing. */
export function checkStart(clock: Clock, read: ReadConfig = readConfig()): StartCheck {
  const { config, publicSigns, wrong, near, gone } = read
  const isLocal = publicSigns.length === 0
  const misspelt = near.map(describeNearName)
  const faults = config ? findFaults(config) : { problems: [], warnings: [] }
  const problems = [
    ...wrong,
    ...(isLocal ? [] : misspelt),
    ...refusePlay(read),
    ...faults.problems,
    ...(config ? findLate(config, { clock, known: faults.problems }) : []),
  ]
  return {
    config: problems.length > 0 ? undefined : config,
    isLocal,
    problems,
    warnings: [...gone, ...(isLocal ? misspelt : []), ...faults.warnings],
  }
}

/** A public gateway uses the development ledger only if the operator has configured it. */
function refusePlay({ publicSigns, nodesAreWrittenOut }: ReadConfig): string[] {
  if (publicSigns.length === 0 || nodesAreWrittenOut) return []
  return [
    `NODE_URLS is not set. The development ledger starts automatically only on a local gateway (here ${publicSigns.join(', ')}). Set NODE_URLS to your nodes, or to ${EMBEDDED} for test nano.`,
  ]
}

/** Finds errors in the combination of settings, and those that only the code using a setting detects. */
function findLate(config: Config, { clock, known }: { clock: Clock; known: readonly string[] }): string[] {
  const nowhere = { rpcUrl: 'http://127.0.0.1', wsUrl: 'ws://127.0.0.1' }
  const checks: (() => unknown)[] = [
    () => known.some((each) => each.startsWith('NODE_URLS')) || toUpstreams(config, nowhere),
    () => toAgreement(config),
    () => addressesIn('TRUSTED_PROXIES', config.trustedProxies),
    () => addressesIn('TRACES_TRUSTED_CALLERS', config.tracesTrusted),
    () => requireMetricsToken(config),
    () => keysOf(config),
    () => config.walletKeys.length > 0 && toMasterKeys(config.walletKeys, config.walletKeyActive),
    () => requirePasskeyName(config),
    () => loadBuiltIn(config),
    () => goodsOf(config, openMarketSources(config, { clock, onFailure: () => {} }).prices),
  ]
  return checks.flatMap((check) => {
    try {
      check()
      return []
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)]
    }
  })
}

/** If passkeys are required, browsers must be able to make one, which needs a suitable host name. */
function requirePasskeyName({ passkeysRequired, baseUrl, host, port }: Config): void {
  if (passkeysRequired === 'none' || relyingPartyOf(baseUrl ?? toUrl(host, port))) return
  throw new Error(
    'PASSKEYS_REQUIRED needs BASE_URL to be an https address with a name: browsers make passkeys for no other.',
  )
}

/** What is sold by request: nothing unless an address is set that receives the payments. */
export function goodsOf(config: Config, rates: Prices): Goods {
  return config.x402PayTo === undefined && !isEmbedded(config) ? new Map() : readGoods(config, ACTIONS, rates)
}

/** The configured addresses that are trusted. */
function addressesIn(name: string, entries: readonly string[]) {
  try {
    return toTrustedProxies(entries)
  } catch (error) {
    throw new Error(`${name} must be addresses, networks (10.0.0.0/8) or \`loopback\`.`, { cause: error })
  }
}
