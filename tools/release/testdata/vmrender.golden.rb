# Homebrew's formula of a release: put it into Formula/ of a tap.
class Vmrender < Formula
  desc "Renders fleets of KubeVirt virtual machines from compact values"
  homepage "https://github.com/vmrender/vmrender"
  version "1.2.3"
  license "Apache-2.0"

  on_macos do
    on_intel do
      url "https://github.com/vmrender/vmrender/releases/download/v1.2.3/vmrender_v1.2.3_darwin_amd64.tar.gz"
      sha256 "69f92840482dffd8c216256e7bdd43056a70bbbed11455d1b00465bececb4175"
    end
    on_arm do
      url "https://github.com/vmrender/vmrender/releases/download/v1.2.3/vmrender_v1.2.3_darwin_arm64.tar.gz"
      sha256 "2b42ce3bed293705db91d71982cdd0ac166fc667348d213b7868fab1f74e1495"
    end
  end

  on_linux do
    on_intel do
      url "https://github.com/vmrender/vmrender/releases/download/v1.2.3/vmrender_v1.2.3_linux_amd64.tar.gz"
      sha256 "baf0239e48ff4c47ebac3ba02b5cf1506b69cd5a0c0d0c825a53ba65976fb942"
    end
    on_arm do
      url "https://github.com/vmrender/vmrender/releases/download/v1.2.3/vmrender_v1.2.3_linux_arm64.tar.gz"
      sha256 "b3e3ab55f887c56c0bd8bec3743b0fb54daaa17861e03db5133ef2835eb0da5a"
    end
  end

  def install
    bin.install "vmrender"
    bash_completion.install "completions/vmrender.bash" => "vmrender"
    fish_completion.install "completions/vmrender.fish"
    zsh_completion.install "completions/_vmrender"
    pkgshare.install "licenses"
  end

  test do
    assert_match "vmrender v#{version}", shell_output("#{bin}/vmrender version")
  end
end
