import type { Config } from '../../config/config.ts'
import type { Clock, Outbound } from '../../kernel/ports.ts'
import { EMBEDDED } from '../node/upstreams.ts'
import { openOutbound } from './outbound.ts'

type OutboundSettings = Pick<Config, 'webhookAllowPrivate' | 'nodeUrls' | 'atDesk'>

/** The way out to addresses that users gave. */
export const openWayOut = (settings: OutboundSettings, clock: Clock): Outbound =>
  openOutbound({ clock, allowPrivate: allowsPrivate(settings) })

/** A first try on a laptop should simply work; where others come, the network around the gateway is not shown to them. */
function allowsPrivate({ webhookAllowPrivate, nodeUrls, atDesk }: OutboundSettings): boolean {
  if (webhookAllowPrivate !== 'auto') return webhookAllowPrivate
  return atDesk && nodeUrls.length > 0 && nodeUrls.every((url) => url.split('#')[0] === EMBEDDED)
}
