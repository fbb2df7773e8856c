import { fileURLToPath } from 'node:url'
import { readConsole } from '../../adapters/http/console/read-files.ts'

/** Returns the console that was built with this program; null if the program runs from its sources. */
export const consoleFiles = () => readConsole(fileURLToPath(new URL('./console', import.meta.url)))
