import type { Config } from '../config/config.ts'
import type { Links } from '../kernel/ports.ts'

const LIVE_EXPLORER = 'https://nanolooker.com/block/'
const OWN_PAGE = '/ledger/blocks/'

type LinkSettings = Pick<Config, 'baseUrl' | 'checkoutUrl' | 'apiUrl' | 'explorerUrl' | 'host' | 'port'>

export const toUrl = (host: string, port: number) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Base addresses of links. The port is known from the start unless the system chooses it: jobs that run before we listen write links, too. */
export class ServiceLinks implements Links {
  readonly #settings: LinkSettings
  readonly #isPlay: boolean
  #own: string

  constructor(settings: LinkSettings, { isPlay }: { isPlay: boolean }) {
    this.#settings = settings
    this.#isPlay = isPlay
    this.#own = settings.port === 0 ? '' : toUrl(settings.host, settings.port)
  }

  /** Called when the port is open. */
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

  /** No public explorer knows the blocks of a development ledger, so links lead to our explorer. */
  block(hash: string): string {
    const explorer = this.#settings.explorerUrl || (this.#isPlay ? `${this.base()}${OWN_PAGE}` : LIVE_EXPLORER)
    return `${explorer}${hash}`
  }
}
