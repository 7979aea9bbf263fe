import { Layout } from './layout.tsx'

const TITLES: Record<number, string> = {
  400: 'This could not be read',
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'There is no such page',
  405: 'This is not a page',
  429: 'Too many requests',
}

interface ProblemProps {
  status: number
  text: string
  devnet: boolean
}

/** For a visitor who came here by accident: what went wrong, and where to go on. Programs get the same as JSON. */
export const SiteProblem = ({ status, text, devnet }: ProblemProps) => (
  <Layout
    title={TITLES[status] ?? 'Something went wrong'}
    devnet={devnet}
    head={<meta name="robots" content="noindex" />}
  >
    <h1>{TITLES[status] ?? 'Something went wrong'}</h1>
    <p>{status === 404 ? 'The address may be misspelt, or what was here is gone.' : text}</p>
    <p>
      <a href="/">Start page</a> · <a href="/docs">Documents</a> · <a href="/dashboard">Dashboard</a>
    </p>
  </Layout>
)
