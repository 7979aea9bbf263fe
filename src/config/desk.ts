import { isLoopback } from '../kernel/loopback.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Why this gateway is not local, as the settings that say so; empty if it is. */
export function leavesDesk({ NODE_ENV, HOST, BASE_URL }: Env): string[] {
  const reasons: string[] = []
  if (NODE_ENV === 'production') reasons.push('NODE_ENV is production')
  if (HOST !== undefined && !isLoopback(HOST)) reasons.push('HOST is not this machine alone')
  if (BASE_URL !== undefined && BASE_URL !== '' && !namesThisMachine(BASE_URL)) {
    reasons.push('BASE_URL is not an address of this machine alone')
  }
  return reasons
}

const namesThisMachine = (address: string) => URL.canParse(address) && isLoopback(new URL(address).hostname)
