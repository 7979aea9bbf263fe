export type { GatewayStatus } from './pages/health-page.tsx'
export { administrationPages } from './routes/administration.tsx'
export { adminRoutes } from './routes/api.ts'
export { overviewPages } from './routes/overview.tsx'
