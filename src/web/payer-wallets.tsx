import type { PayerWallet } from '../kernel/payer-wallets.ts'

/** Wallets by name; each leads to its makers. */
export const PayerWallets = ({ wallets }: { wallets: readonly PayerWallet[] }) => (
  <ul class="wallets">
    {wallets.map(({ name, url }) => (
      <li key={url}>
        <a href={url} target="_blank" rel="noopener noreferrer" dir="auto">
          {name}
        </a>
      </li>
    ))}
  </ul>
)
