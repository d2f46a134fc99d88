package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	codegen "github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	rpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/pulumi/pulumi/sdk/v3/python/toolchain"
)

type python struct{}

// Pulumi's script that runs a Python program. The build puts it beside this binary.
const executor = "pulumi-language-python-exec"

func (python) program(ctx context.Context, engine string, req *rpc.RunRequest) (*exec.Cmd, error) {
	tools, err := toolchainOf(req.Info)
	if err != nil {
		return nil, err
	}
	if err := tools.ValidateVenv(ctx); err != nil {
		return nil, err
	}
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{"-u", filepath.Join(filepath.Dir(binary), executor)}
	for _, named := range [][2]string{
		{"monitor", req.MonitorAddress},
		{"engine", engine},
		{"organization", req.Organization},
		{"project", req.Project},
		{"root_directory", req.Info.RootDirectory},
		{"stack", req.Stack},
		{"pwd", req.Pwd},
		{"dry_run", strconv.FormatBool(req.DryRun)},
		{"parallel", strconv.Itoa(int(req.Parallel))},
	} {
		if named[1] != "" {
			args = append(args, "--"+named[0], named[1])
		}
	}
	command, err := tools.Command(ctx, append(append(args, req.Info.EntryPoint), req.Args...)...)
	if err != nil {
		return nil, err
	}
	config, secretKeys, err := configOf(req)
	if command.Env == nil {
		command.Env = os.Environ()
	}
	command.Env = append(command.Env, "PULUMI_CONFIG="+config, "PULUMI_CONFIG_SECRET_KEYS="+secretKeys)
	return command, err
}

func (python) install(ctx context.Context, info *rpc.ProgramInfo, stdout, stderr io.Writer) error {
	tools, err := toolchainOf(info)
	if err != nil {
		return err
	}
	return tools.InstallDependencies(ctx, info.ProgramDirectory, false, true, stdout, stderr)
}

func (python) link(ctx context.Context, info *rpc.ProgramInfo, sdks []sdk) error {
	tools, err := toolchainOf(info)
	if err != nil {
		return err
	}
	paths := map[string]string{}
	for _, one := range sdks {
		paths[one.name] = one.path
	}
	return tools.LinkPackages(ctx, paths)
}

// Of `runtime.options` in Pulumi.yaml, only the folder of the virtual environment is read.
func toolchainOf(info *rpc.ProgramInfo) (toolchain.Toolchain, error) {
	folder, _ := info.Options.AsMap()["virtualenv"].(string)
	return toolchain.ResolveToolchain(toolchain.PythonOptions{
		Root:       info.RootDirectory,
		ProgramDir: info.ProgramDirectory,
		Virtualenv: folder,
		Toolchain:  toolchain.Pip,
	})
}

func (python) sdkFiles(
	pkg *schema.Package, req *rpc.GeneratePackageRequest, loader schema.ReferenceLoader,
) (map[string][]byte, error) {
	return codegen.GeneratePackage("pulumi-language-python", pkg, req.ExtraFiles, loader)
}

func (python) programFiles(program *pcl.Program) (map[string][]byte, hcl.Diagnostics, error) {
	return codegen.GenerateProgram(program)
}

func (python) names(pkg *schema.Package) (name, statement string, err error) {
	name = codegen.PyPack(pkg.Namespace, pkg.Name)
	return name, fmt.Sprintf("import %s as %s", name, pkg.Name), nil
}
