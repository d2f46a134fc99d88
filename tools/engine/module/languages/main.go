// The language host for Python and Go programs, for tests: Pulumi's own hosts are not served as Go modules.
//
// What generates SDKs and code, installs Python packages and runs a Python program is Pulumi's own, from the modules of
// the engine. Left out is what nobody here needs: packing, new projects, plugins in these languages, debuggers, tracing.
//
// The engine starts it as `pulumi-language-python` or `pulumi-language-go`, with that word as the first argument.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	"github.com/pulumi/pulumi/sdk/v3/go/common/version"
	rpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// A program says by this code that the user has already been told what is wrong.
const alreadyTold = 32

// Time between asking a program to end and ending it, as in Pulumi's hosts.
const grace = 5 * time.Second

// What differs between the languages.
type language interface {
	// The process that runs the program.
	program(ctx context.Context, engine string, req *rpc.RunRequest) (*exec.Cmd, error)
	install(ctx context.Context, info *rpc.ProgramInfo, stdout, stderr io.Writer) error
	// Writes into the program's own list of packages where these SDKs are.
	link(ctx context.Context, info *rpc.ProgramInfo, sdks []sdk) error
	generator
}

type host struct {
	rpc.UnimplementedLanguageRuntimeServer
	language
	engine    string
	cancelled context.Context
	cancel    context.CancelFunc
}

func main() {
	languages := map[string]language{"python": python{}, "go": golang{}}
	var chosen language
	if len(os.Args) > 1 {
		chosen = languages[os.Args[1]]
	}
	if chosen == nil {
		fail(errors.New("the first argument must be python or go"))
	}
	fail(serve(chosen))
}

func serve(chosen language) error {
	cancelled, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	ended := make(chan bool)
	context.AfterFunc(cancelled, func() { close(ended) })
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Cancel: ended,
		Init: func(server *grpc.Server) error {
			h := &host{language: chosen, cancelled: cancelled, cancel: cancel}
			rpc.RegisterLanguageRuntimeServer(server, h)
			if address := os.Args[len(os.Args)-1]; len(os.Args) > 2 && !strings.HasPrefix(address, "-") {
				return h.follow(address)
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	fmt.Println(handle.Port) // the engine reads this line
	return <-handle.Done
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// The engine tells its address here, or as the last argument.
func (h *host) Handshake(_ context.Context, req *rpc.LanguageHandshakeRequest) (*rpc.LanguageHandshakeResponse, error) {
	return &rpc.LanguageHandshakeResponse{}, h.follow(req.EngineAddress)
}

// Ends this process when the engine is gone.
func (h *host) follow(engine string) error {
	h.engine = engine
	return rpcutil.Healthcheck(h.cancelled, engine, 5*time.Second, h.cancel)
}

func (h *host) GetPluginInfo(context.Context, *emptypb.Empty) (*rpc.PluginInfo, error) {
	return &rpc.PluginInfo{Version: version.Version}, nil
}

func (h *host) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	h.cancel()
	return &emptypb.Empty{}, nil
}

func (h *host) Run(ctx context.Context, req *rpc.RunRequest) (*rpc.RunResponse, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.cancelled, cancel)()
	command, err := h.program(ctx, h.engine, req)
	if err != nil {
		return &rpc.RunResponse{Error: err.Error()}, nil
	}
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = grace
	return outcomeOf(command.Run()), nil
}

func outcomeOf(err error) *rpc.RunResponse {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return &rpc.RunResponse{}
	case errors.As(err, &exit) && exit.ExitCode() == alreadyTold:
		return &rpc.RunResponse{Bail: true}
	case errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Exited():
		return &rpc.RunResponse{Error: fmt.Sprintf("program exited with non-zero exit code: %d", exit.ExitCode())}
	default:
		return &rpc.RunResponse{Error: fmt.Sprintf("the program could not be run: %v", err)}
	}
}

// The config and which of it is secret, as both SDKs read it: a stack without config has an empty object, not null.
func configOf(req *rpc.RunRequest) (config, secretKeys string, err error) {
	given := req.GetConfig()
	if given == nil {
		given = map[string]string{}
	}
	values, err := json.Marshal(given)
	if err != nil {
		return "", "", err
	}
	keys, err := json.Marshal(append([]string{}, req.GetConfigSecretKeys()...))
	return string(values), string(keys), err
}

func (h *host) InstallDependencies(
	req *rpc.InstallDependenciesRequest, stream rpc.LanguageRuntime_InstallDependenciesServer,
) error {
	closer, stdout, stderr, err := rpcutil.MakeInstallDependenciesStreams(stream, req.IsTerminal)
	if err != nil {
		return err
	}
	defer closer.Close()
	return h.install(stream.Context(), req.Info, stdout, stderr)
}

// The plugins that the program's SDKs name. Pulumi's hosts look in all installed packages for the same file; here only
// what `pulumi package add` generates has one.
func (h *host) GetRequiredPackages(
	_ context.Context, req *rpc.GetRequiredPackagesRequest,
) (*rpc.GetRequiredPackagesResponse, error) {
	response := &rpc.GetRequiredPackagesResponse{}
	err := filepath.WalkDir(filepath.Join(req.Info.RootDirectory, "sdks"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != "pulumi-plugin.json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var named plugin.PulumiPluginJSON
		if err := json.Unmarshal(text, &named); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		dependency := &rpc.PackageDependency{Kind: "resource", Name: named.Name, Server: named.Server}
		if named.Version != "" {
			dependency.Version = "v" + named.Version
		}
		response.Packages = append(response.Packages, dependency)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return response, err
}
