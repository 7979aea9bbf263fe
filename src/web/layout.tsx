import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'

export interface LayoutProps {
  title: string
  /** The embedded ledger's money is worthless, and every page says so. */
  devnet: boolean
  children: ComponentChildren
}

export const Layout = ({ title, devnet, children }: LayoutProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{title}</title>
      <link rel="stylesheet" href="/assets/gateway.css" />
    </head>
    <body>
      {devnet && <div class="banner">Embedded development ledger: the nano here is worth nothing.</div>}
      <header>
        <strong>nano-gateway</strong>
        <nav>
          <a href="/">API</a>
          <a href="/dashboard">Dashboard</a>
          <a href="/openapi.json">OpenAPI</a>
        </nav>
      </header>
      <main>{children}</main>
      <footer>nano-gateway is free software under the MIT licence.</footer>
    </body>
  </html>
)

export function renderPage(page: Parameters<typeof renderToString>[0]): string {
  return `<!doctype html>${renderToString(page)}`
}
