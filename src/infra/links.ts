import type { Config } from '../config/config.ts'
import type { Links } from '../kernel/ports.ts'

const LIVE_EXPLORER = 'https://nanolooker.com/block/'
const OWN_PAGE = '/ledger/blocks/'

type LinkSettings = Pick<Config, 'baseUrl' | 'checkoutUrl' | 'apiUrl' | 'explorerUrl' | 'host' | 'port'>

export const toUrl = (host: string, port: number) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/**
 * Base addresses of links. The port must be known before we listen, because jobs write links, too; only if the system
 * chooses the port is it known later.
 */
export class ServiceLinks implements Links {
  readonly #settings: LinkSettings
  readonly #isPlay: boolean
  #own: string

  constructor(settings: LinkSettings, { isPlay }: { isPlay: boolean }) {
    this.#settings = settings
    this.#isPlay = isPlay
    this.#own = settings.port === 0 ? '' : toUrl(settings.host, settings.port)
  }

  /** Call it when the port is open. */
  listenAt(url: string): void {
    this.#own = url
  }

  base(): string {
    return this.#settings.baseUrl ?? this.#own
  }

  pages(): string {
    return this.#settings.checkoutUrl ?? this.base()
  }

  api(): string {
    return this.#settings.apiUrl ?? this.base()
  }

  /** No public explorer knows blocks of a development ledger, so their links lead to our own explorer. */
  block(hash: string): string {
    const explorer = this.#settings.explorerUrl || (this.#isPlay ? `${this.base()}${OWN_PAGE}` : LIVE_EXPLORER)
    return `${explorer}${hash}`
  }
}
