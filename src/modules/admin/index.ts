export type { GatewayStatus } from './pages/health-page.tsx'
export { administrationPages } from './routes/administration.tsx'
export { type AdminPorts, adminRoutes } from './routes/api.ts'
export { overviewPages } from './routes/overview.tsx'
