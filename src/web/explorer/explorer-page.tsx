import { assetUrl } from '../assets.ts'
import { Document } from '../layout.tsx'
import type { ShownPlace } from './show-place.tsx'

export const EXPLORER_STYLES = ['explorer.css'] as const
export const EXPLORER_SCRIPTS = ['explorer.js'] as const

/** The explorer as a site of its own, at `base`. */
export const ExplorerPage = ({ place, rpcUrl, base }: { place: ShownPlace; rpcUrl?: string; base: string }) => (
  <Document
    title={`${place.title} · Nano development ledger`}
    styles={['dashboard.css', ...EXPLORER_STYLES]}
    scripts={['dashboard.js', ...EXPLORER_SCRIPTS]}
    head={<meta name="robots" content="noindex" />}
    bodyClass="dashboard explorer"
  >
    <a href="#content" class="skip">
      Skip to content
    </a>
    <aside class="banner" aria-label="Development ledger">
      Development ledger: this nano has no value.
    </aside>
    <header class="ledger-head">
      <a href={base === '' ? '/' : base} class="brand">
        <img src={assetUrl('icon.svg')} alt="" width="28" height="28" />
        Nano development ledger
      </a>
      {rpcUrl !== undefined && <code>{rpcUrl}</code>}
    </header>
    <main id="content" tabIndex={-1}>
      <div class="title">
        <h1>{place.title}</h1>
      </div>
      {place.content}
    </main>
  </Document>
)
