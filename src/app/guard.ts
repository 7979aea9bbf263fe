import type { Config } from '../config/config.ts'
import { type Gateway } from '../guard/passing.ts'
import { openGateway } from '../guard/open.ts'
import { Registry } from '../guard/registry.ts'
import type { MemoryLimiter } from '../infra/limits/gcra.ts'
import { openSharedLimits, reportDegraded } from '../infra/limits/open.ts'
import type { Modules } from '../modules.ts'
import type { Ports } from './ports.ts'

export async function openGuard(
  config: Config,
  { ports, modules, limiter }: { ports: Ports; modules: Modules; limiter: MemoryLimiter },
  stack: AsyncDisposableStack,
): Promise<Gateway> {
  const { store, secrets, nodes } = ports
  const { accounts, names, x402 } = modules
  const shared = await openSharedLimits(config, ports, reportDegraded(ports))
  stack.defer(() => shared?.close())
  return openGateway(config, {
    registry: new Registry(Object.values(modules)),
    seller: x402.seller,
    keys: accounts.keys,
    usage: accounts.usage,
    names: names.names,
    secrets,
    burst: shared ?? limiter,
    nodeFor: (trace, leaving) => nodes.forRequest(trace, leaving),
    store,
  })
}
