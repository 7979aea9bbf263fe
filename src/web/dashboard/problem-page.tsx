import { Gate } from './frame.tsx'

const TITLES: Record<number, string> = {
  403: 'Not allowed',
  404: 'Not found',
  429: 'Too many requests',
}

/** Says what went wrong, and where to go on. */
export const ProblemPage = ({ status, text, devnet }: { status: number; text: string; devnet: boolean }) => (
  <Gate title={TITLES[status] ?? 'Something went wrong'} devnet={devnet}>
    <p>{text}</p>
    <p>
      <a href="/dashboard">Back to the dashboard</a>
    </p>
  </Gate>
)
