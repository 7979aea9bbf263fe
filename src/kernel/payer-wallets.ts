import { BadSetting, list } from './setting.ts'

/* Wallets that pages suggest to people who have none. They are a setting, because wallets come and go. */

const PLATFORMS = ['ios', 'android', 'desktop'] as const
type Platform = (typeof PLATFORMS)[number]
const NAMED_MAX = 2

export interface PayerWallet {
  name: string
  url: string
}

interface ListedWallet extends PayerWallet {
  platforms: readonly Platform[]
}

/** Reads `Natrium ios+android https://natrium.io, …`; a wallet without platforms is for all. */
export const payerWallets = (value: string): readonly ListedWallet[] =>
  list(value).map((entry) => {
    const [, name = '', on = '', url = ''] = /^(.{1,40}?)(?: ([a-z+]+))? (https:\/\/\S{1,200})$/.exec(entry) ?? []
    const platforms = on === '' ? PLATFORMS : PLATFORMS.filter((platform) => on.split('+').includes(platform))
    if (!URL.canParse(url) || (on !== '' && platforms.length !== on.split('+').length))
      throw new BadSetting('must be like: Natrium ios+android https://natrium.io, Nault desktop https://nault.cc')
    return { name, platforms, url }
  })

/** Up to two wallets that run on the payer's device. */
export function walletsFor(wallets: readonly ListedWallet[], userAgent: string | undefined): readonly PayerWallet[] {
  const agent = userAgent ?? ''
  const platform = /iPhone|iPad|iPod/.test(agent) ? 'ios' : agent.includes('Android') ? 'android' : 'desktop'
  return wallets.filter(({ platforms }) => platforms.includes(platform)).slice(0, NAMED_MAX)
}

export type { ListedWallet }
