export { openAdmin } from './open.ts'
export type { GatewayStatus } from './pages/health-page.tsx'
export { describedAdminRoutes } from './routes/described.ts'
