import type { ComponentChildren, VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { assetUrl } from './assets.ts'
import { directionOf } from './voice.ts'

interface DocumentProps {
  title: string
  /** A language tag, for screen readers and the choice of glyphs. */
  lang?: string
  /** Names of files in `assets`, after the shared ones. */
  styles?: readonly string[]
  scripts?: readonly string[]
  /** Further elements of the head. */
  head?: ComponentChildren
  bodyClass?: string
  children: ComponentChildren
}

/** The frame of every page: its head, its style sheets, its scripts. */
export const Document = (props: DocumentProps) => {
  const { title, lang = 'en', styles = [], scripts = [], head, bodyClass, children } = props
  return (
    <html lang={lang} dir={directionOf(lang)}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" href={assetUrl('icon.svg')} type="image/svg+xml" />
        {['gateway.css', ...styles].map((name) => (
          <link key={name} rel="stylesheet" href={assetUrl(name)} />
        ))}
        {scripts.map((name) => (
          <script key={name} src={assetUrl(name)} defer />
        ))}
        {head}
      </head>
      <body class={bodyClass}>{children}</body>
    </html>
  )
}

interface LayoutProps extends Pick<DocumentProps, 'title' | 'lang' | 'styles' | 'scripts' | 'head' | 'bodyClass'> {
  /** Whether this is a development ledger: its nano is worthless, and every page says so. */
  devnet: boolean
  children: ComponentChildren
}

/** A page of the site: banner, navigation, contents, footer. */
export const Layout = ({ devnet, children, ...document }: LayoutProps) => (
  <Document {...document}>
    {devnet && <DevnetBanner />}
    <header class="site">
      <a class="home" href="/">
        <img src={assetUrl('icon.svg')} alt="" width="28" height="28" />
        nano-gateway
      </a>
      <nav aria-label="Site">
        <a href="/docs">Docs</a>
        <a class="button quiet" href="/dashboard">
          Dashboard
        </a>
      </nav>
    </header>
    <main>{children}</main>
    <footer class="site-foot">
      <span>nano-gateway is free software under the MIT licence.</span>
      <a href="/docs">Docs</a>
      <a href="/status">Status</a>
    </footer>
  </Document>
)

const DevnetBanner = () => (
  <aside class="banner" aria-label="Development ledger">
    Development ledger: this nano has no value.
  </aside>
)

export function renderPage(page: VNode): string {
  return `<!doctype html>${renderToString(page)}`
}
