// @ts-check

/**
 * How one kind of server is had for a test run. One file here per server (`postgres.mjs`, …) exports
 * a `recipe` of this shape; `supervisor.mjs` runs it and `servers.mjs` lists it.
 *
 * @typedef {object} Recipe
 * @property {string} name The server's name as messages say it.
 * @property {string} variable The environment variable that carries its address, given or published.
 * @property {(folder: string, account: Account | null) => Promise<Prepared>} prepare Makes a data
 *   folder inside `folder`, owned by `account` where one is given. Throws with the reason.
 * @property {(url: string) => Promise<string>} probe Connects once and answers the version.
 * @property {(reason: string) => string} help What to do when the server cannot be started.
 * @property {readonly NodeJS.Signals[]} stopSignals From polite to certain.
 */

/**
 * A server that is ready to be started.
 *
 * @typedef {object} Prepared
 * @property {string} program
 * @property {(port: number) => readonly string[]} args
 * @property {(port: number) => string} url
 */

/**
 * The user to run a server as, because database servers refuse to run as root.
 *
 * @typedef {object} Account
 * @property {number} uid
 * @property {number} gid
 */

export {};
