/** npm run build:dashboard: checks the types of packages/dashboard and builds it into packages/dashboard/dist. */
import { buildDashboard, checkDashboardTypes } from '../tools/dashboard/build.ts'

const problem = checkDashboardTypes() ?? buildDashboard()
if (problem !== undefined) console.error(problem)
process.exitCode = problem === undefined ? 0 : 1
