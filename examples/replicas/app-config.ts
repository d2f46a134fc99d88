import * as pulumi from "@pulumi/pulumi";

export interface AppConfigArgs {
  /** Where the application writes. */
  host: pulumi.Input<string>;
  /** Where it reads. */
  readHosts: pulumi.Input<pulumi.Input<string>[]>;
}

/** Variables of the application's environment. */
export interface AppEnv {
  DATABASE_HOST: string;
  DATABASE_READ_HOSTS: string;
}

/**
 * What an application needs to know of its database. Stands for whatever uses the hosts in your program: a Kubernetes
 * ConfigMap, the variables of a function, a DNS record.
 */
export class AppConfig extends pulumi.ComponentResource {
  readonly env: pulumi.Output<AppEnv>;

  constructor(name: string, args: AppConfigArgs, opts?: pulumi.ComponentResourceOptions) {
    super("example:app:AppConfig", name, args, opts);
    this.env = pulumi.output(args).apply(({ host, readHosts }) => ({
      DATABASE_HOST: host,
      DATABASE_READ_HOSTS: readHosts.join(","),
    }));
    this.registerOutputs({ env: this.env });
  }
}
